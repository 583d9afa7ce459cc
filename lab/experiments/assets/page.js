// Draws every plot of the page from the JSON beside it: hover for values, click a name to hide it, drag to zoom.
(function () {
  "use strict";
  // uPlot's mode of joining: a gap reaches to the points beside it.
  const EXPAND = 2;
  const boxes = Array.from(document.querySelectorAll(".plot"));
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function number(value, unit) {
    if (value == null) return "–";
    const text = String(+value.toPrecision(4));
    return unit ? text + " " + unit : text;
  }

  // A name's first words, so that neighbours have room.
  const short = name => name.length > 14 ? name.slice(0, 13) + "…" : name;

  function axis(of, size) {
    const label = of.unit ? of.label + " (" + of.unit + ")" : of.label;
    const font = "12px system-ui, sans-serif";
    return {
      label, size, font, labelFont: font, labelSize: 22, stroke: style("--ink"),
      grid: { stroke: style("--rule"), width: 1 }, ticks: { stroke: style("--rule"), width: 1 },
      ...(of.names.length ? {
        splits: () => of.names.map((name, place) => place),
        values: (plot, places) => places.map(place => short(of.names[place])),
        rotate: -40, size: 96,
      } : {}),
    };
  }

  const longest = labels => Math.max(3, ...(labels || []).map(label => String(label).length));

  // Dashed lines at the times when something happened, with what it was.
  function marks(list) {
    return {
      hooks: {
        draw(plot) {
          const { ctx, bbox } = plot, scale = devicePixelRatio;
          ctx.save();
          ctx.beginPath();
          ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
          ctx.clip();
          ctx.strokeStyle = ctx.fillStyle = style("--faint");
          ctx.lineWidth = scale;
          ctx.setLineDash([4 * scale, 4 * scale]);
          ctx.font = 11 * scale + "px system-ui, sans-serif";
          list.forEach((mark, row) => {
            const x = plot.valToPos(mark.x, "x", true);
            ctx.beginPath();
            ctx.moveTo(x, bbox.top);
            ctx.lineTo(x, bbox.top + bbox.height);
            ctx.stroke();
            const right = x + ctx.measureText(mark.label).width + 8 * scale > bbox.left + bbox.width;
            ctx.textAlign = right ? "right" : "left";
            ctx.fillText(mark.label, x + (right ? -4 : 4) * scale, bbox.top + (12 + 14 * (row % 4)) * scale);
          });
          ctx.restore();
        },
      },
    };
  }

  function draw(box) {
    const figure = JSON.parse(document.getElementById(box.dataset.from).textContent);
    const names = figure.x.names;
    const shown = box.chart ? box.chart.series.map(series => series.show) : [];
    if (box.chart) box.chart.destroy();
    const series = figure.series.map((one, place) => {
      const stroke = style("--s" + (place % 8)), dash = place < 8 ? undefined : [6, 4];
      const common = { label: one.name, stroke, dash, show: shown[place + 1] !== false,
        value: (plot, value) => number(value, figure.y.unit) };
      if (one.shape === "bars") {
        return { ...common, fill: stroke + "80", paths: uPlot.paths.bars({ size: [0.6, 64] }), points: { show: false } };
      }
      if (one.shape === "points") return { ...common, paths: () => null, points: { show: true, size: 5, fill: stroke } };
      if (one.shape === "steps") return { ...common, width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } };
      return { ...common, width: 2, points: { show: one.points.length < 40, size: 5, fill: stroke } };
    });
    // A logarithmic axis has no place for what is not above zero.
    const shownOn = (axis, value) => !axis.log || value > 0;
    const columns = figure.series.map(one => {
      const points = one.points.filter(point => shownOn(figure.x, point[0]));
      return [points.map(point => point[0]), points.map(point => shownOn(figure.y, point[1]) ? point[1] : null)];
    });
    const fromZero = (plot, min, max) => [Math.min(0, min ?? 0), max > 0 ? max * 1.08 : 1];
    box.chart = new uPlot({
      width: box.clientWidth,
      height: 320,
      scales: {
        x: {
          time: false,
          distr: figure.x.log ? 3 : 1,
          ...(names.length ? { range: [-0.6, names.length - 0.4] } : {}),
        },
        y: figure.y.log ? { distr: 3 } : { range: fromZero },
      },
      axes: [axis(figure.x, 38), axis(figure.y, (plot, labels) => 16 + 8 * longest(labels))],
      series: [{ label: figure.x.label,
        value: (plot, value) => names.length ? names[value] ?? "–" : number(value, figure.x.unit) }, ...series],
      plugins: [marks(figure.marks)],
    }, uPlot.join(columns, columns.map(() => [0, EXPAND])), box);
  }

  const all = () => boxes.forEach(draw);
  all();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  addEventListener("resize", () => boxes.forEach(box => box.chart.setSize({ width: box.clientWidth, height: 320 })));
  // Paper is white.
  addEventListener("beforeprint", () => { document.documentElement.classList.add("printing"); all(); });
  addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); all(); });
})();
