"""The command line: the kernel's own commands, and the way to those of plugins. It knows no game and no adapter."""
