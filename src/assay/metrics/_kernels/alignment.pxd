# Declarations of alignment.py for other kernels; documented there.

cdef Py_ssize_t search(
    int[:, ::1] matches, long long[::1] first, long long[::1] fixed, long long[::1] covered, Py_ssize_t n,
    Py_ssize_t m, long long[:, ::1] paths, unsigned long long[:, ::1] used, long long[:, ::1] rank,
    long long[:, :, ::1] back, long long[::1] chosen
) noexcept nogil
