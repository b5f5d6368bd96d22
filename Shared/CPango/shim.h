#pragma once
#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

// The part of Pango 1.50 that is used, from <pango/pangocairo.h> and <pango/pangofc-fontmap.h>. Those headers are not included, because
// their pkg-config files bring the flag -pthread (from GLib's), which the package manager refuses with a warning at each build. The
// functions are part of Pango's stable ABI; C's enumerations are ints.

typedef struct _PangoFontMap PangoFontMap;
typedef struct _PangoFcFontMap PangoFcFontMap;
typedef struct _PangoContext PangoContext;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoAttrList PangoAttrList;
typedef struct _PangoAttribute PangoAttribute;
typedef struct _PangoLanguage PangoLanguage;

typedef struct {
    int x, y, width, height;
} PangoRectangle;

enum {
    PANGO_SCALE = 1024,
    PANGO_WEIGHT_NORMAL = 400,
    PANGO_WEIGHT_BOLD = 700,
    PANGO_WRAP_WORD_CHAR = 2,
    PANGO_ELLIPSIZE_END = 3,
    PANGO_ALIGN_LEFT = 0,
    PANGO_ALIGN_RIGHT = 2,
    PANGO_DIRECTION_LTR = 0,
    PANGO_DIRECTION_RTL = 1
};

void g_object_unref(void *object);

PangoFontMap *pango_cairo_font_map_new_for_font_type(cairo_font_type_t type);
void pango_fc_font_map_set_config(PangoFcFontMap *map, FcConfig *config);
void pango_fc_font_map_shutdown(PangoFcFontMap *map);

PangoContext *pango_font_map_create_context(PangoFontMap *map);
void pango_cairo_context_set_font_options(PangoContext *context, const cairo_font_options_t *options);
void pango_context_set_language(PangoContext *context, PangoLanguage *language);
void pango_context_set_base_dir(PangoContext *context, int direction);
PangoLanguage *pango_language_from_string(const char *language);

PangoFontDescription *pango_font_description_new(void);
void pango_font_description_free(PangoFontDescription *description);
void pango_font_description_set_family(PangoFontDescription *description, const char *family);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);
void pango_font_description_set_weight(PangoFontDescription *description, int weight);

PangoAttrList *pango_attr_list_new(void);
void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute);
void pango_attr_list_unref(PangoAttrList *list);
PangoAttribute *pango_attr_letter_spacing_new(int spacing);

PangoLayout *pango_layout_new(PangoContext *context);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *description);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *attributes);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_height(PangoLayout *layout, int height);
void pango_layout_set_wrap(PangoLayout *layout, int wrap);
void pango_layout_set_ellipsize(PangoLayout *layout, int ellipsize);
void pango_layout_set_line_spacing(PangoLayout *layout, float factor);
void pango_layout_set_alignment(PangoLayout *layout, int alignment);
int pango_layout_get_direction(PangoLayout *layout, int index);
int pango_layout_get_baseline(PangoLayout *layout);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
void pango_layout_get_extents(PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);
void pango_cairo_show_layout(cairo_t *cairo, PangoLayout *layout);
