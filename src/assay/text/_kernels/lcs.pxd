# What the other kernels may know of subsequences; what it means stands in lcs.py.

cdef class Subsequences:
    cdef int[::1] slot
    cdef unsigned long long[::1] masks
    cdef unsigned long long[::1] rows

    cdef void _reserve(self, Py_ssize_t masks, Py_ssize_t rows) noexcept nogil
    cdef Py_ssize_t length(
        self,
        int[::1] tokens,
        Py_ssize_t c_low,
        Py_ssize_t c_high,
        Py_ssize_t r_low,
        Py_ssize_t r_high,
        bint keep,
    ) noexcept nogil
