;; Has a function that is to run before anybody asked for it.
(module
  (func $start)
  (start $start)
)
