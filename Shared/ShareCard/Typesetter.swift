import CPango

/// Typesets texts with Pango: shapes and orders the letters of every script, breaks lines, and ends long texts with an ellipsis.
///
/// It uses only the fonts of ``CardFonts`` and no fontconfig settings; used by one thread at a time.
final class Typesetter {
    private let fontMap: OpaquePointer
    private let context: OpaquePointer
    private let furtherFamilies: String

    /// - Parameter further: fonts for letters that the needed ones lack; those that cannot be loaded are left out.
    /// - Throws: ``ShareCardError`` `fontMissing` or `drawingFailed`.
    init(_ fonts: CardFonts, further: [(file: String, family: String)]) throws(ShareCardError) {
        guard let config = FcConfigCreate() else { throw ShareCardError(.drawingFailed, "no font configuration") }
        // The font map takes its own reference.
        defer { FcConfigDestroy(config) }
        for file in fonts.neededFiles where FcConfigAppFontAddFile(config, file) == 0 {
            throw ShareCardError(.fontMissing, file)
        }
        let further = further.filter { FcConfigAppFontAddFile(config, $0.file) != 0 }
        guard let fontMap = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT) else {
            throw ShareCardError(.drawingFailed, "Pango has no FreeType")
        }
        pango_fc_font_map_set_config(fontMap, config)
        guard let context = pango_font_map_create_context(fontMap) else {
            g_object_unref(UnsafeMutableRawPointer(fontMap))
            throw ShareCardError(.drawingFailed, "no text context")
        }
        // Fonts are searched for a letter in this order.
        furtherFamilies = further.map { ",\($0.family)" }.joined()
        self.fontMap = fontMap
        self.context = context
        // Without hinting the shapes are the same on every machine.
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        pango_context_set_language(context, pango_language_from_string("en"))
        pango_context_set_base_dir(context, Int32(PANGO_DIRECTION_LTR))
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(context))
        // Fonts hold references to their map; this releases them.
        pango_fc_font_map_shutdown(fontMap)
        g_object_unref(UnsafeMutableRawPointer(fontMap))
    }

    /// - Parameters:
    ///   - width: longer lines are broken, within words if necessary; `nil` sets one line of any length.
    ///   - lines: the maximum; longer texts end with an ellipsis.
    /// - Throws: ``ShareCardError`` `drawingFailed`.
    func set(_ text: String, _ style: TextStyle, width: Double? = nil, lines: Int = 1) throws(ShareCardError) -> TextBlock {
        guard let layout = pango_layout_new(context), let font = pango_font_description_new() else {
            throw ShareCardError(.drawingFailed, "no text layout")
        }
        defer { pango_font_description_free(font) }
        pango_font_description_set_family(font, style.family + furtherFamilies)
        pango_font_description_set_absolute_size(font, style.size * Double(PANGO_SCALE))
        pango_font_description_set_weight(font, Int32(style.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL))
        pango_layout_set_font_description(layout, font)
        pango_layout_set_text(layout, text, -1)
        if style.spacing != 0, let list = pango_attr_list_new() {
            pango_attr_list_insert(list, pango_attr_letter_spacing_new(Int32(style.size * style.spacing * Double(PANGO_SCALE))))
            pango_layout_set_attributes(layout, list)
            pango_attr_list_unref(list)
        }
        if let width {
            pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
            pango_layout_set_height(layout, Int32(-lines))
            pango_layout_set_wrap(layout, Int32(PANGO_WRAP_WORD_CHAR))
            pango_layout_set_ellipsize(layout, Int32(PANGO_ELLIPSIZE_END))
        }
        if style.lineHeight != 1 { pango_layout_set_line_spacing(layout, Float(style.lineHeight)) }
        // All text is left-aligned; Pango calls that right-aligned for text that runs from right to left.
        let runsFromRight = pango_layout_get_direction(layout, 0) == Int32(PANGO_DIRECTION_RTL)
        pango_layout_set_alignment(layout, Int32(runsFromRight ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT))
        return TextBlock(owning: layout, colour: style.colour)
    }
}
