;; Wants four gigabytes before it begins.
(module
  (memory (export "memory") 65536)
)
