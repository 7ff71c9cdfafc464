;; Runs functions that Guile compiles to machine code, and functions in C that call them, for the seconds in the argument.

(define (burn n) (if (< n 2) n (+ (burn (- n 1)) (burn (- n 2)))))

(define (before? a b) (burn 8) (< a b))

(define (order) (sort (map (lambda (x) (modulo (* x 7919) 1009)) (iota 50)) before?))

(define (count n)
  (let ((table (make-hash-table)))
    (do ((i 0 (+ i 1))) ((= i n)) (hash-set! table i (* i 1.5)))
    (hash-fold (lambda (key value sum) (burn 8) (+ value sum)) 0 table)))

(define (leave n)
  (call/cc (lambda (return) (for-each (lambda (x) (burn 8) (if (> x 50) (return x))) (iota n)))))

(define (fail n) (catch 'known (lambda () (burn n) (throw 'known 1)) (lambda (key . rest) (burn n))))

(define (run times) (do ((i 0 (+ i 1))) ((= i times)) (order) (count 100) (leave 100) (fail 12)))

(define end (+ (current-time) (string->number (cadr (command-line)))))
(do () ((> (current-time) end)) (run 1000))
