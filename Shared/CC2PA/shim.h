// The part of libc2pa_c 0.91 that rial. uses, declared here because its distribution has no header.
// Every handle is opaque; c2pa_free frees all handles but streams, and ignores unknown pointers.
#ifndef RIAL_CC2PA_SHIM_H
#define RIAL_CC2PA_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct C2paSettings C2paSettings;
typedef struct C2paContextBuilder C2paContextBuilder;
typedef struct C2paContext C2paContext;
typedef struct C2paBuilder C2paBuilder;
typedef struct C2paReader C2paReader;
typedef struct C2paStream C2paStream;
typedef struct C2paSigner C2paSigner;

char *c2pa_version(void);
// The calling thread's last error; may be null or empty. A successful call does not clear it.
char *c2pa_error(void);
int c2pa_free(const void *handle);

C2paSettings *c2pa_settings_new(void);
int c2pa_settings_update_from_string(C2paSettings *settings, const char *text, const char *format);

C2paContextBuilder *c2pa_context_builder_new(void);
int c2pa_context_builder_set_settings(C2paContextBuilder *builder, C2paSettings *settings);
// Consumes the builder.
C2paContext *c2pa_context_builder_build(C2paContextBuilder *builder);

typedef ssize_t (*c2pa_read_callback)(void *context, uint8_t *bytes, ssize_t count);
typedef ssize_t (*c2pa_seek_callback)(void *context, ssize_t offset, int mode);
typedef ssize_t (*c2pa_write_callback)(void *context, const uint8_t *bytes, ssize_t count);
typedef ssize_t (*c2pa_flush_callback)(void *context);
C2paStream *c2pa_create_stream(
    void *context, c2pa_read_callback read, c2pa_seek_callback seek, c2pa_write_callback write, c2pa_flush_callback flush);
void c2pa_release_stream(C2paStream *stream);

// Writes at most `capacity` bytes; the library trusts the returned count.
typedef ssize_t (*c2pa_sign_callback)(const void *context, const uint8_t *data, size_t count, uint8_t *signature, size_t capacity);
C2paSigner *c2pa_signer_create(
    const void *context, c2pa_sign_callback sign, int algorithm, const char *certificates, const char *timestamp_authority);

C2paBuilder *c2pa_builder_from_context(C2paContext *context);
// Consumes the builder, also on failure.
C2paBuilder *c2pa_builder_with_definition(C2paBuilder *builder, const char *json);
void c2pa_builder_set_no_embed(C2paBuilder *builder);
int c2pa_builder_add_ingredient_from_stream(C2paBuilder *builder, const char *json, const char *format, C2paStream *source);
int c2pa_builder_set_remote_url(C2paBuilder *builder, const char *url);
// The manifest's length, or a negative number.
int64_t c2pa_builder_sign(
    C2paBuilder *builder, const char *format, C2paStream *source, C2paStream *destination, C2paSigner *signer,
    const uint8_t **manifest);
int64_t c2pa_signer_reserve_size(C2paSigner *signer);
// The manifest as it lies in a file of the format, without its signature and hash. This and the next return as the above.
int64_t c2pa_builder_data_hashed_placeholder(
    C2paBuilder *builder, size_t signature_capacity, const char *format, const uint8_t **manifest);
// The same signed, as long as its placeholder, which must be made before. Without an asset the hash is that of the JSON, as numbers.
int64_t c2pa_builder_sign_data_hashed_embeddable(
    C2paBuilder *builder, C2paSigner *signer, const char *data_hash, const char *format, C2paStream *asset,
    const uint8_t **manifest);

C2paReader *c2pa_reader_from_context(C2paContext *context);
// Both consume the reader, also on failure.
C2paReader *c2pa_reader_with_stream(C2paReader *reader, const char *format, C2paStream *stream);
C2paReader *c2pa_reader_with_manifest_data_and_stream(
    C2paReader *reader, const char *format, C2paStream *stream, const uint8_t *manifest, size_t count);
char *c2pa_reader_json(C2paReader *reader);
// The whole store in the JSON format of the C2PA conformance programme.
char *c2pa_reader_crjson(C2paReader *reader);
const char *c2pa_reader_remote_url(C2paReader *reader);

#endif
