"""One reader a format; every module of this package is one."""
