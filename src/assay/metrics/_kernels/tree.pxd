# Declarations of tree.py for other kernels; documented there.

cdef class Tree:
    cdef int[::1] roots
    cdef int[::1] seeds
    cdef unsigned long long[::1] keys
    cdef int[::1] found
    cdef int[::1] at
    cdef int[::1] a
    cdef int[::1] b
    cdef int[::1] c
    cdef signed char[::1] depth
    cdef long long[::1] hits
    cdef int size
    cdef int seeded
    cdef int shift
    cdef long long mask

    cdef void clear(self, Py_ssize_t nodes) noexcept nogil
    cdef int root(self, Py_ssize_t symbol) noexcept nogil
    cdef int make(self, unsigned long long key, Py_ssize_t place, int depth) noexcept nogil
    cdef void add(self, int[::1] ids, Py_ssize_t low, Py_ssize_t high, int order, int[::1] counts) noexcept nogil
    cdef void match(self, int[::1] ids, Py_ssize_t low, Py_ssize_t high, int order) noexcept nogil
    cdef void kinds(self, int[::1] ids, Py_ssize_t low, Py_ssize_t high, int order) noexcept nogil
    cdef void keep_most(self) noexcept nogil
    cdef void rewind(self) noexcept nogil
