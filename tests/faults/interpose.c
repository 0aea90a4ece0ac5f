/* Faults at file-system calls, for the sweep beside this file.

   Preloaded into a process, it counts the calls that touch files below one folder, and at a given one it kills the
   process, tears a write, or answers as a full or broken disk does. Calls elsewhere pass. Nothing happens until
   faults_arm is called, and nothing in a process that the armed one starts.

   Build: cc -shared -fPIC -O1 -o interpose.so interpose.c -ldl
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PASS, KILL_BEFORE, KILL_AFTER, FULL, BROKEN };
enum { READS = 1, ALLOCATES = 2, WRITES = 4 };
#define FDS 4096

static char root[PATH_MAX];
static size_t root_length;
static pid_t armed;
static int kind, log_fd = -1, full;
static long at, count;
static char *path_of[FDS];

/* From now on, fault `new_kind` at the call number `new_at` (from 1) below `folder`; calls are listed in `log`. */
void faults_arm(const char *folder, long new_at, int new_kind, const char *log) {
    snprintf(root, sizeof root, "%s", folder);
    root_length = strlen(root);
    at = new_at;
    kind = new_kind;
    count = full = 0;
    if (log && *log) log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    armed = getpid();
}

static int below(const char *path) {
    return !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static const char *open_as(int fd) {
    return armed && armed == getpid() && fd >= 0 && fd < FDS ? path_of[fd] : NULL;
}

/* The path that a call means, in full, or nothing if it lies elsewhere. */
static const char *meant(int folder, const char *path, char *room) {
    if (!armed || armed != getpid() || !path) return NULL;
    if (path[0] == '/') snprintf(room, PATH_MAX, "%s", path);
    else {
        char here[PATH_MAX];
        const char *base = folder == AT_FDCWD ? getcwd(here, sizeof here) : open_as(folder);
        if (!base || strlen(base) + strlen(path) + 2 > PATH_MAX) return NULL;
        sprintf(room, "%s/%s", base, path);
    }
    return below(room) ? room : NULL;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* What to do with a call: pass it on, fail it (errno is set), or pass it on and die. */
static int decide(const char *path, const char *name, int nature) {
    if (!path) return PASS;
    long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (log_fd >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%ld %s %d %s\n", number, name, nature, path + root_length);
        syscall(SYS_write, log_fd, line, length < (int)sizeof line ? length : (int)sizeof line);
    }
    if (full && (nature & ALLOCATES)) {
        errno = ENOSPC;
        return FULL;
    }
    if (number != at) return PASS;
    switch (kind) {
    case KILL_BEFORE: die();
    case KILL_AFTER: return KILL_AFTER;
    case FULL:
        if (!(nature & ALLOCATES)) return PASS;
        full = 1;
        errno = ENOSPC;
        return FULL;
    case BROKEN: errno = EIO; return BROKEN;
    }
    return PASS;
}

#define REAL(type, name, ...)                                                  \
    static type (*real)(__VA_ARGS__);                                          \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define AROUND(path, name, nature, call)                                       \
    int fate = decide(path, name, nature);                                     \
    if (fate == FULL || fate == BROKEN) return -1;                             \
    long found = (long)(call);                                                 \
    if (fate == KILL_AFTER) die();                                             \
    return found

static int opened(int fd, const char *path) {
    if (fd >= 0 && fd < FDS && armed == getpid()) {
        free(path_of[fd]);
        path_of[fd] = path ? strdup(path) : NULL;
    }
    return fd;
}

#define OPENING(function, symbol)                                              \
    int function(const char *path, int flags, ...) {                           \
        REAL(int, symbol, const char *, int, ...);                             \
        va_list more;                                                          \
        va_start(more, flags);                                                 \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                                          \
        char room[PATH_MAX];                                                   \
        const char *touched = meant(AT_FDCWD, path, room);                     \
        int nature = (flags & O_CREAT) ? ALLOCATES : (flags & O_ACCMODE) == O_RDONLY ? READS : WRITES; \
        int fate = decide(touched, "open", nature);                            \
        if (fate == FULL || fate == BROKEN) return -1;                         \
        int fd = opened(real(path, flags, mode), touched);                     \
        if (fate == KILL_AFTER) die();                                         \
        return fd;                                                             \
    }
OPENING(open, "open")
OPENING(open64, "open64")

#define OPENING_AT(function, symbol)                                           \
    int function(int folder, const char *path, int flags, ...) {               \
        REAL(int, symbol, int, const char *, int, ...);                        \
        va_list more;                                                          \
        va_start(more, flags);                                                 \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                                          \
        char room[PATH_MAX];                                                   \
        const char *touched = meant(folder, path, room);                       \
        int nature = (flags & O_CREAT) ? ALLOCATES : (flags & O_ACCMODE) == O_RDONLY ? READS : WRITES; \
        int fate = decide(touched, "open", nature);                            \
        if (fate == FULL || fate == BROKEN) return -1;                         \
        int fd = opened(real(folder, path, flags, mode), touched);             \
        if (fate == KILL_AFTER) die();                                         \
        return fd;                                                             \
    }
OPENING_AT(openat, "openat")
OPENING_AT(openat64, "openat64")

int close(int fd) {
    REAL(int, "close", int);
    if (open_as(fd)) opened(fd, NULL);
    return real(fd);
}

/* Copies of a handle mean the same file; libraries that write by themselves make some. */
int dup(int fd) {
    REAL(int, "dup", int);
    const char *path = open_as(fd);
    return path ? opened(real(fd), path) : real(fd);
}

#define CONTROLLING(function, symbol)                                          \
    int function(int fd, int command, ...) {                                   \
        REAL(int, symbol, int, int, ...);                                      \
        va_list more;                                                          \
        va_start(more, command);                                               \
        void *argument = va_arg(more, void *);                                 \
        va_end(more);                                                          \
        int found = real(fd, command, argument);                               \
        const char *path = open_as(fd);                                        \
        return path && (command == F_DUPFD || command == F_DUPFD_CLOEXEC) ? opened(found, path) : found; \
    }
CONTROLLING(fcntl, "fcntl")
CONTROLLING(fcntl64, "fcntl64")

/* Half of what was to be written is on the disk when the process dies or the disk is full. */
#define WRITING(function, symbol, parameters, types, part, whole)              \
    ssize_t function parameters {                                              \
        REAL(ssize_t, symbol, types);                                          \
        int fate = decide(open_as(fd), "write", ALLOCATES);                    \
        if (fate == BROKEN) return -1;                                         \
        if (fate == KILL_AFTER) {                                              \
            part;                                                              \
            die();                                                             \
        }                                                                      \
        if (fate == FULL) {                                                    \
            ssize_t some = size > 1 && at == count ? part : -1;                \
            if (some < 0) errno = ENOSPC;                                      \
            return some;                                                       \
        }                                                                      \
        return whole;                                                          \
    }
#define COMMA ,
WRITING(write, "write", (int fd, const void *data, size_t size), int COMMA const void * COMMA size_t,
        real(fd, data, size / 2), real(fd, data, size))
WRITING(pwrite, "pwrite", (int fd, const void *data, size_t size, off_t place),
        int COMMA const void * COMMA size_t COMMA off_t, real(fd, data, size / 2, place), real(fd, data, size, place))
WRITING(pwrite64, "pwrite64", (int fd, const void *data, size_t size, off64_t place),
        int COMMA const void * COMMA size_t COMMA off64_t, real(fd, data, size / 2, place), real(fd, data, size, place))

ssize_t writev(int fd, const struct iovec *pieces, int size) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    AROUND(open_as(fd), "write", ALLOCATES, real(fd, pieces, fate == KILL_AFTER ? size / 2 : size));
}

ssize_t read(int fd, void *data, size_t size) {
    REAL(ssize_t, "read", int, void *, size_t);
    AROUND(open_as(fd), "read", READS, real(fd, data, size));
}

ssize_t pread64(int fd, void *data, size_t size, off64_t place) {
    REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
    AROUND(open_as(fd), "read", READS, real(fd, data, size, place));
}

int fsync(int fd) {
    REAL(int, "fsync", int);
    AROUND(open_as(fd), "fsync", ALLOCATES, real(fd));
}

int fdatasync(int fd) {
    REAL(int, "fdatasync", int);
    AROUND(open_as(fd), "fsync", ALLOCATES, real(fd));
}

int ftruncate64(int fd, off64_t size) {
    REAL(int, "ftruncate64", int, off64_t);
    AROUND(open_as(fd), "truncate", WRITES, real(fd, size));
}

int ftruncate(int fd, off_t size) {
    REAL(int, "ftruncate", int, off_t);
    AROUND(open_as(fd), "truncate", WRITES, real(fd, size));
}

#define ON_PATH(function, name, nature, parameters, types, folder, path, call) \
    int function parameters {                                                  \
        REAL(int, #function, types);                                           \
        char room[PATH_MAX];                                                   \
        AROUND(meant(folder, path, room), name, nature, call);                 \
    }
ON_PATH(rename, "rename", WRITES, (const char *from, const char *to), const char * COMMA const char *, AT_FDCWD, to,
        real(from, to))
ON_PATH(renameat, "rename", WRITES, (int a, const char *from, int b, const char *to),
        int COMMA const char * COMMA int COMMA const char *, b, to, real(a, from, b, to))
ON_PATH(renameat2, "rename", WRITES, (int a, const char *from, int b, const char *to, unsigned flags),
        int COMMA const char * COMMA int COMMA const char * COMMA unsigned, b, to, real(a, from, b, to, flags))
ON_PATH(link, "link", ALLOCATES, (const char *from, const char *to), const char * COMMA const char *, AT_FDCWD, to,
        real(from, to))
ON_PATH(symlink, "link", ALLOCATES, (const char *from, const char *to), const char * COMMA const char *, AT_FDCWD, to,
        real(from, to))
ON_PATH(unlink, "unlink", WRITES, (const char *path), const char *, AT_FDCWD, path, real(path))
ON_PATH(unlinkat, "unlink", WRITES, (int folder, const char *path, int flags), int COMMA const char * COMMA int, folder,
        path, real(folder, path, flags))
ON_PATH(rmdir, "rmdir", WRITES, (const char *path), const char *, AT_FDCWD, path, real(path))
ON_PATH(mkdir, "mkdir", ALLOCATES, (const char *path, mode_t mode), const char * COMMA mode_t, AT_FDCWD, path,
        real(path, mode))
ON_PATH(mkdirat, "mkdir", ALLOCATES, (int folder, const char *path, mode_t mode), int COMMA const char * COMMA mode_t,
        folder, path, real(folder, path, mode))
ON_PATH(chmod, "chmod", WRITES, (const char *path, mode_t mode), const char * COMMA mode_t, AT_FDCWD, path,
        real(path, mode))

int fchmod(int fd, mode_t mode) {
    REAL(int, "fchmod", int, mode_t);
    AROUND(open_as(fd), "chmod", WRITES, real(fd, mode));
}
