#include "postgres.h"

#include <openssl/crypto.h>

#include "storage/fd.h"

#include "key.h"

#define DIGITS (2 * KEY_SIZE)

static int digit(char letter) {
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F')
        return letter - 'A' + 10;
    return -1;
}

/* Whether the text is a key; the key then. */
static bool parsed(const char *text, size_t size, uint8 *key) {
    if (size > 0 && text[size - 1] == '\n')
        size--;
    if (size > 0 && text[size - 1] == '\r')
        size--;
    if (size != DIGITS)
        return false;
    for (int i = 0; i < KEY_SIZE; i++) {
        int high = digit(text[2 * i]);
        int low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        key[i] = (uint8) (high << 4 | low);
    }
    return true;
}

void key_read(const char *path, uint8 *key) {
    char text[DIGITS + 3]; /* a byte more than a key with CR LF */
    size_t size;
    bool good;
    FILE *file;

    if (path == NULL || path[0] == '\0')
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("encrypted values cannot be opened without a key"),
                        errhint("Name the key's file in encbench_enclave.key_file.")));
    file = AllocateFile(path, "r");
    if (file == NULL)
        ereport(ERROR, (errcode_for_file_access(),
                        errmsg("could not open the key's file \"%s\": %m", path)));
    setvbuf(file, NULL, _IONBF, 0); /* no copy of the key in a buffer of the library's */
    size = fread(text, 1, sizeof(text), file);
    FreeFile(file);
    good = parsed(text, size, key);
    OPENSSL_cleanse(text, sizeof(text));
    if (!good)
        ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR),
                        errmsg("the file \"%s\" does not hold a key", path),
                        errdetail("A key is 32 hexadecimal digits, with or without a line end.")));
}
