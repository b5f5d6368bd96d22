import CPango

/// A text that has been set. Owns Pango's layout.
final class TextBlock {
    private let layout: OpaquePointer
    private let colour: Colour
    /// Pixels; of the lines as the font spaces them.
    let width: Double
    let height: Double
    /// Pixels from the top to the first line's baseline.
    let baseline: Double

    /// Takes over the reference that `pango_layout_new` gave.
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

    /// A letter that no font has would be drawn as a box.
    var isLegible: Bool { pango_layout_get_unknown_glyphs_count(layout) == 0 }

    /// - Parameter origin: the upper left corner.
    func draw(on canvas: Canvas, at origin: Point) {
        canvas.set(colour)
        cairo_move_to(canvas.context, origin.x, origin.y)
        pango_cairo_show_layout(canvas.context, layout)
        cairo_new_path(canvas.context)
    }

    /// - Parameter baseline: where the first line stands.
    func draw(on canvas: Canvas, x: Double, baseline: Double) { draw(on: canvas, at: Point(x, baseline - self.baseline)) }
}
