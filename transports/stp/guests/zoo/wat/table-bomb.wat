;; Wants a table of ten million entries.
(module
  (table 10000000 funcref)
)
