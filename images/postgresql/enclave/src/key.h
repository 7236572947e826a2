/* The key's file. */
#ifndef KEY_H
#define KEY_H

#define KEY_SIZE 16

/* The key in that file: 32 hexadecimal digits, and a line end if you like. Anything else is an
 * ERROR that names the file and never what is in it. */
extern void key_read(const char *path, uint8 *key);

#endif
