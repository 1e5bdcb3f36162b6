/* Loaded before the system's library, this makes files fail whose path has a part that the file of FAULT_CONTROL names.
   Its first byte says how: e EIO at writes, r a read-only disk, s short writes, t half of the bytes and then EIO,
   b half of the bytes and then a read-only disk, y EIO at syncs, i EIO at reads, w a wait at each write, anything else: not at all. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile char *control;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULT_CONTROL");
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int fd = path ? real_open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, 256, PROT_READ, MAP_SHARED, fd, 0);
    control = mapped == MAP_FAILED ? NULL : mapped;
}

static int is_mode(const char *modes) { return control && control[0] && strchr(modes, control[0]); }

static int fails_path(const char *path, const char *modes) {
    return is_mode(modes) && path && strstr(path, (const char *)control + 1);
}

static int fails(int fd, const char *modes) {
    char link[64], path[4096];
    if (!is_mode(modes)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return fails_path(path, modes);
}

/* The number of bytes to write; 0 where errno is set and nothing is. */
static size_t allowed(int fd, size_t count) {
    if (fails(fd, "e")) { errno = EIO; return 0; }
    if (fails(fd, "r")) { errno = EROFS; return 0; }
    if (fails(fd, "stb") && count > 1) return count / 2;
    if (fails(fd, "w")) usleep(300000);
    return count;
}

static ssize_t written(int fd, ssize_t length) {
    if (length > 0 && fails(fd, "t")) { errno = EIO; return -1; }
    if (length > 0 && fails(fd, "b")) { errno = EROFS; return -1; }
    return length;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL(write);
    size_t some = allowed(fd, count);
    return some || !count ? written(fd, real(fd, bytes, some)) : -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    REAL(pwrite);
    size_t some = allowed(fd, count);
    return some || !count ? written(fd, real(fd, bytes, some, at)) : -1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    REAL(pwrite64);
    size_t some = allowed(fd, count);
    return some || !count ? written(fd, real(fd, bytes, some, at)) : -1;
}

#define FAILING(result, name, parameters, arguments, condition, error) \
    result name parameters { REAL(name); if (condition) { errno = error; return -1; } return real arguments; }

FAILING(ssize_t, read, (int fd, void *bytes, size_t count), (fd, bytes, count), fails(fd, "i"), EIO)
FAILING(ssize_t, pread, (int fd, void *bytes, size_t count, off_t at), (fd, bytes, count, at), fails(fd, "i"), EIO)
FAILING(ssize_t, pread64, (int fd, void *bytes, size_t count, off64_t at), (fd, bytes, count, at), fails(fd, "i"), EIO)
FAILING(int, fsync, (int fd), (fd), fails(fd, "y"), EIO)
FAILING(int, fdatasync, (int fd), (fd), fails(fd, "y"), EIO)
FAILING(int, ftruncate, (int fd, off_t length), (fd, length), fails(fd, "rb"), EROFS)
FAILING(int, ftruncate64, (int fd, off64_t length), (fd, length), fails(fd, "rb"), EROFS)
FAILING(int, mkdir, (const char *path, mode_t mode), (path, mode), fails_path(path, "r"), EROFS)
FAILING(int, rmdir, (const char *path), (path), fails_path(path, "r"), EROFS)
FAILING(int, unlink, (const char *path), (path), fails_path(path, "r"), EROFS)
FAILING(int, rename, (const char *from, const char *to), (from, to), fails_path(to, "r"), EROFS)

#define OPENING(name, parameters, arguments) \
    int name parameters { \
        REAL(name); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) && fails_path(path, "r")) { errno = EROFS; return -1; } \
        return real arguments; \
    }

OPENING(open, (const char *path, int flags, ...), (path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENING(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENING(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
