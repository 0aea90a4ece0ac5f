# Declarations of band.py for other kernels; documented there.

cdef class Band:
    cdef Py_ssize_t n
    cdef Py_ssize_t m
    cdef Py_ssize_t beam
    cdef Py_ssize_t width
    cdef double ratio
    cdef int[::1] words
    cdef int[::1] other
    cdef int[::1] best
    cdef int[::1] reference
    cdef int[::1] costs
    cdef signed char[::1] ops
    cdef int[::1] before
    cdef int[::1] after
    cdef int[::1] aligned
    cdef signed char[::1] output_wrong
    cdef signed char[::1] reference_wrong

    cdef int prepare(self, Py_ssize_t n, Py_ssize_t m) except -1
    cdef Py_ssize_t low(self, Py_ssize_t i) noexcept nogil
    cdef Py_ssize_t high(self, Py_ssize_t i) noexcept nogil
    cdef Py_ssize_t row(self, Py_ssize_t i, int word, Py_ssize_t old_high, bint keep) noexcept nogil
    cdef int distance(self, int[::1] words, Py_ssize_t same, bint keep) noexcept nogil
    cdef void align(self) noexcept nogil
