import CPango

/// A typeset text. Owns Pango's layout.
final class TextBlock {
    private let layout: OpaquePointer
    private let colour: Colour
    /// Pixels, with the font's line spacing.
    let width: Double
    let height: Double
    /// Pixels from the top to the first line's baseline.
    let baseline: Double

    /// Takes ownership of the reference from `pango_layout_new`.
    init(owning layout: OpaquePointer, colour: Colour) {
        self.layout = layout
        self.colour = colour
        var extents = PangoRectangle()
        pango_layout_get_extents(layout, nil, &extents)
        width = Double(extents.width) / Double(PANGO_SCALE)
        height = Double(extents.height) / Double(PANGO_SCALE)
        baseline = Double(pango_layout_get_baseline(layout)) / Double(PANGO_SCALE)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// Whether a font has every letter; others would be drawn as boxes.
    var isLegible: Bool { pango_layout_get_unknown_glyphs_count(layout) == 0 }

    /// - Parameter origin: the upper left corner.
    func draw(on canvas: Canvas, at origin: Point) {
        canvas.set(colour)
        cairo_move_to(canvas.context, origin.x, origin.y)
        pango_cairo_show_layout(canvas.context, layout)
        cairo_new_path(canvas.context)
    }

    /// - Parameter baseline: the y coordinate of the first line's baseline.
    func draw(on canvas: Canvas, x: Double, baseline: Double) { draw(on: canvas, at: Point(x, baseline - self.baseline)) }
}
