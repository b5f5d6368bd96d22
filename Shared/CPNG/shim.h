#pragma once
#include <png.h>
#include <stdint.h>
#include <string.h>

// libpng reports errors by longjmp, which must not pass over frames of Swift: what can fail is here.

// Where a PNG is written.
struct rial_png_target {
    unsigned char *bytes;
    size_t capacity;
    size_t count;
    // Whether more than `capacity` bytes were to be written.
    int is_full;
};

static inline void rial_png_fail(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static inline void rial_png_ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static inline void rial_png_take(png_structp png, png_bytep bytes, size_t count) {
    struct rial_png_target *target = (struct rial_png_target *)png_get_io_ptr(png);
    if (count > target->capacity - target->count) {
        target->is_full = 1;
        png_error(png, "no room");
    }
    memcpy(target->bytes + target->count, bytes, count);
    target->count += count;
}

static inline void rial_png_flush(png_structp png) { (void)png; }

// Writes a PNG of 8 bits: a byte for each pixel and `colours` RGB triples in `palette`, or without a palette three bytes for each pixel.
// With `of_runs` rows are subtracted from those above and only repeated bytes are looked for, which suits enlarged pictures.
//
// Returns 1, or 0 if libpng failed or `target` is full.
static inline int rial_png_write(
    const unsigned char *pixels, uint32_t width, uint32_t height, const unsigned char *palette, int colours, int of_runs,
    struct rial_png_target *target) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, rial_png_fail, rial_png_ignore);
    if (png == NULL) return 0;
    png_infop info = png_create_info_struct(png);
    // Neither variable changes after this, so both are valid when libpng comes back.
    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return 0;
    }
    png_set_write_fn(png, target, rial_png_take, rial_png_flush);
    png_set_IHDR(
        png, info, width, height, 8, palette != NULL ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    if (palette != NULL) png_set_PLTE(png, info, (png_const_colorp)palette, colours);
    if (of_runs) {
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
        // Z_RLE of zlib.h, which is another module's.
        png_set_compression_strategy(png, 3);
    }
    png_write_info(png, info);
    const size_t stride = (size_t)width * (palette != NULL ? 1 : 3);
    for (uint32_t row = 0; row < height; row++) png_write_row(png, pixels + row * stride);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return 1;
}
