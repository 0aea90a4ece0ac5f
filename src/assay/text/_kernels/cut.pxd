# What the other kernels may know of the cutter; what it means stands in cut.py.

cdef class Cutter:
    cdef int[::1] text
    cdef unsigned char[::1] kind
    cdef unsigned char[::1] bytes
    cdef bint narrow
    cdef int[::1] low
    cdef int[::1] high
    cdef Py_ssize_t length
    cdef Py_ssize_t count

    cdef int cut(self, str text, int rule) except -1
    cdef int load(self, str text) except -1
    cdef void _add(self, Py_ssize_t low, Py_ssize_t high) noexcept
    cdef void _ascii_words(self, Py_ssize_t low, Py_ssize_t high) noexcept
    cdef void _spaces(self, bint peel) noexcept
    cdef void _mteval(self) noexcept
    cdef Py_ssize_t _stops(self, Py_ssize_t first) noexcept
    cdef void _gem(self, bint recut) noexcept
    cdef Py_ssize_t _contraction(self, Py_ssize_t i) noexcept
