/* A linear map in whole numbers of sixteen bits, for processors that multiply and add 32 pairs of them in one step
   (AVX-512 VNNI): twice as many as of float32.

   Each run of 32 numbers is scaled so that its length is at most LENGTH. Two runs then have a product below 2^31, as
   Cauchy and Schwarz say, and sums of 32 bits are exact. The product of rows and weights is the sum over runs, in
   float32. `short_linear.py` says the same in torch. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_CODE 1
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WITH_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define RUN 32          /* numbers with one scale */
#define LENGTH 46250.0f /* its square is below 2^31, with room for rounding */
#define HIGHEST 32767.0f
#define LEAST 1e-30f /* a run without a number as great counts as zeros: its scale would be no exact float */
#define TILE 12   /* rows at once: their sums, for 32 columns, fill 24 of the 32 registers */
#define COLUMNS 32
#define BLOCK 96 /* rows that are rounded together, so that they are still in the cache when they are used */

/* One row, and by how much each of its runs has to be multiplied to be as before. */
WITH_VNNI static void shorten(const float *from, int16_t *to, float *scales, Py_ssize_t depth) {
    for (Py_ssize_t start = 0; start < depth; start += RUN, from += RUN, to += RUN) {
        __m512 one = _mm512_loadu_ps(from), two = _mm512_loadu_ps(from + 16);
        float top = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(one), _mm512_abs_ps(two)));
        /* Squares of what is very great or small are no floats, so the greatest is made 1 first. */
        __m512 unit = _mm512_set1_ps(top < LEAST ? 0 : 1 / top), u_one = _mm512_mul_ps(one, unit);
        __m512 u_two = _mm512_mul_ps(two, unit);
        float length = sqrtf(_mm512_reduce_add_ps(_mm512_fmadd_ps(u_one, u_one, _mm512_mul_ps(u_two, u_two))));
        float share = length / LENGTH; /* no number where one of them is none or infinite, and so are all sums then */
        if (1 / HIGHEST > share) share = 1 / HIGHEST;
        float scale = top < LEAST ? length : top * share;
        *scales++ = scale;
        __m512 by = _mm512_set1_ps(scale != 0 ? 1 / scale : 0);
        __m256i low = _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(_mm512_mul_ps(one, by)));
        __m256i high = _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(_mm512_mul_ps(two, by)));
        _mm256_storeu_si256((__m256i *)to, low);
        _mm256_storeu_si256((__m256i *)(to + 16), high);
    }
}

static inline int pair_at(const int16_t *place) {
    int pair;
    memcpy(&pair, place, sizeof pair);
    return pair;
}

/* The sums of each row have names of their own: compilers keep arrays of them in memory, and that costs half the speed.
   For the same reason the step itself is written out; as an intrinsic its sums are copied about. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define BEGIN(r) __m512i left##r = _mm512_setzero_si512(), right##r = _mm512_setzero_si512();
#define ADD_PRODUCT(sums, row, weights) __asm__("vpdpwssd %1, %2, %0" : "+v"(sums) : "v"(row), "v"(weights))
#define STEP(r)                                                               \
    row = _mm512_set1_epi32(pair_at(thirds[(r) / 3] + (r) % 3 * depth));      \
    ADD_PRODUCT(left##r, row, w_left);                                        \
    ADD_PRODUCT(right##r, row, w_right);
#define BACK(sums, scale, place)                                                                                \
    _mm512_store_ps(place, _mm512_fmadd_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale), by, _mm512_load_ps(place)));
#define END(r)                                        \
    by = _mm512_set1_ps(scales[(r) * runs]);          \
    BACK(left##r, s_left, sums + (r) * COLUMNS)       \
    BACK(right##r, s_right, sums + (r) * COLUMNS + 16)

/* The products of TILE rows with COLUMNS columns of weights. */
WITH_VNNI static void tile(const int16_t *rows, const float *scales, const int16_t *weights, const float *w_scales,
                           Py_ssize_t depth, float *sums) {
    Py_ssize_t runs = depth / RUN;
    const int16_t *thirds[4] = {rows, rows + 3 * depth, rows + 6 * depth, rows + 9 * depth};
    memset(sums, 0, TILE * COLUMNS * sizeof(float));
    for (Py_ssize_t run = 0; run < runs; run++, scales++, w_scales += COLUMNS) {
        EACH_ROW(BEGIN)
        for (int k = 0; k < RUN; k += 2, weights += 2 * COLUMNS) {
            __m512i w_left = _mm512_loadu_si512(weights), w_right = _mm512_loadu_si512(weights + COLUMNS), row;
            EACH_ROW(STEP)
            thirds[0] += 2, thirds[1] += 2, thirds[2] += 2, thirds[3] += 2;
        }
        __m512 s_left = _mm512_loadu_ps(w_scales), s_right = _mm512_loadu_ps(w_scales + 16), by;
        EACH_ROW(END)
    }
}

WITH_VNNI static void multiply(const float *x, const int16_t *weights, const float *w_scales, const float *bias,
                               float *out, Py_ssize_t count, Py_ssize_t depth, Py_ssize_t width, int16_t *rows,
                               float *scales) {
    float sums[TILE * COLUMNS] __attribute__((aligned(64)));
    Py_ssize_t runs = depth / RUN;
    for (Py_ssize_t first = 0; first < count; first += BLOCK) {
        Py_ssize_t some = count - first < BLOCK ? count - first : BLOCK;
        for (Py_ssize_t r = 0; r < some; r++)
            shorten(x + (first + r) * depth, rows + r * depth, scales + r * runs, depth);
        for (Py_ssize_t column = 0; column < width; column += COLUMNS)
            for (Py_ssize_t m = 0; m < some; m += TILE) { /* rows beyond the last are those of before, and not kept */
                tile(rows + m * depth, scales + m * runs, weights + column * depth, w_scales + column * runs, depth, sums);
                for (Py_ssize_t r = m; r < m + TILE && r < some; r++)
                    for (int half = 0; half < COLUMNS; half += 16)
                        _mm512_storeu_ps(out + (first + r) * width + column + half,
                                         _mm512_add_ps(_mm512_load_ps(sums + (r - m) * COLUMNS + half),
                                                       _mm512_loadu_ps(bias + column + half)));
            }
    }
}
#endif

static PyObject *available(PyObject *self, PyObject *nothing) {
#ifdef HAVE_CODE
    return PyBool_FromLong(__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
#else
    Py_RETURN_FALSE;
#endif
}

static PyObject *product(PyObject *self, PyObject *args) {
#ifdef HAVE_CODE
    Py_buffer x, weights, scales, bias, out;
    Py_ssize_t depth;
    if (!PyArg_ParseTuple(args, "y*y*y*y*w*n", &x, &weights, &scales, &bias, &out, &depth)) return NULL;
    Py_ssize_t width = bias.len / (Py_ssize_t)sizeof(float);
    Py_ssize_t count = depth > 0 ? x.len / (depth * (Py_ssize_t)sizeof(float)) : 0;
    int16_t *rows = NULL;
    float *row_scales = NULL;
    if (depth <= 0 || depth % RUN || width % COLUMNS || x.len != count * depth * 4 || out.len != count * width * 4 ||
        weights.len != width * depth * 2 || scales.len != width * (depth / RUN) * 4)
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit each other, or are no multiple of 32");
    else if (!(rows = calloc(BLOCK * depth, sizeof *rows)) || !(row_scales = calloc(BLOCK * (depth / RUN), sizeof *row_scales)))
        PyErr_NoMemory();
    else {
        Py_BEGIN_ALLOW_THREADS
        multiply(x.buf, weights.buf, scales.buf, bias.buf, out.buf, count, depth, width, rows, row_scales);
        Py_END_ALLOW_THREADS
    }
    free(rows), free(row_scales);
    PyBuffer_Release(&x), PyBuffer_Release(&weights), PyBuffer_Release(&scales), PyBuffer_Release(&bias);
    PyBuffer_Release(&out);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
#else
    PyErr_SetString(PyExc_NotImplementedError, "not on this processor");
    return NULL;
#endif
}

static PyMethodDef methods[] = {
    {"available", available, METH_NOARGS, "Whether this processor can."},
    {"product", product, METH_VARARGS, "product(x, weights, scales, bias, out, depth)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_short_products", NULL, -1, methods};

PyMODINIT_FUNC PyInit__short_products(void) { return PyModule_Create(&module); }
