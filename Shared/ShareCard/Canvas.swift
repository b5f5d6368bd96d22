import CPango
import Imaging

/// Draws on a surface with cairo. Owns the context; used by one thread.
final class Canvas {
    private let surface: Surface
    /// Only for drawing text.
    let context: OpaquePointer

    /// - Parameter surface: keeps what it shows, where nothing is drawn.
    /// - Throws: ``ShareCardError`` `drawingFailed`.
    init(_ surface: Surface) throws(ShareCardError) {
        guard let context = cairo_create(surface.handle) else {
            throw ShareCardError(.drawingFailed, "no context for \(surface.width)×\(surface.height)")
        }
        self.surface = surface
        self.context = context
        // All properties are set, so deinit releases the context if this throws.
        try check()
    }

    deinit { cairo_destroy(context) }

    func fill(_ box: Box, _ colour: Colour) {
        set(colour)
        cairo_rectangle(context, box.x, box.y, box.width, box.height)
        cairo_fill(context)
    }

    func fill(_ box: Box, radius: Double, _ colour: Colour) {
        set(colour)
        round(box, radius)
        cairo_fill(context)
    }

    /// A disc with a triangle: what is shown is a video.
    func playMark(at middle: Point, radius: Double) {
        cairo_set_source_rgba(context, 0.1, 0.1, 0.1, 0.72)
        cairo_arc(context, middle.x, middle.y, radius, 0, 2 * .pi)
        cairo_fill(context)
        set(.paper)
        cairo_move_to(context, middle.x - radius * 0.28, middle.y - radius * 0.46)
        cairo_line_to(context, middle.x + radius * 0.52, middle.y)
        cairo_line_to(context, middle.x - radius * 0.28, middle.y + radius * 0.46)
        cairo_close_path(context)
        cairo_fill(context)
    }

    /// - Parameter dash: lengths of dashes and gaps; empty for a solid line.
    func stroke(_ box: Box, radius: Double, width: Double, dash: [Double] = [], _ colour: Colour) {
        set(colour)
        round(box, radius)
        cairo_set_line_width(context, width)
        cairo_set_dash(context, dash, Int32(dash.count), 0)
        cairo_stroke(context)
        cairo_set_dash(context, nil, 0, 0)
    }

    /// - Parameter box: a square.
    func stroke(_ icon: Icon, in box: Box, width: Double = Icon.stroke, _ colour: Colour) {
        cairo_save(context)
        defer { cairo_restore(context) }
        cairo_translate(context, box.x, box.y)
        cairo_scale(context, box.width / Icon.side, box.height / Icon.side)
        set(colour)
        cairo_set_line_width(context, width)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        for line in icon.lines {
            guard let first = line.points.first else { continue }
            cairo_move_to(context, first.x, first.y)
            for point in line.points.dropFirst() { cairo_line_to(context, point.x, point.y) }
            if line.isClosed { cairo_close_path(context) }
            cairo_stroke(context)
        }
        for circle in icon.circles {
            cairo_new_sub_path(context)
            cairo_arc(context, circle.middle.x, circle.middle.y, circle.radius, 0, 2 * .pi)
            cairo_stroke(context)
        }
    }

    /// Draws a photo over `target`, which may reach beyond `clip`.
    /// - Parameter orientation: its EXIF orientation, by which it is turned upright.
    func draw(_ photo: Surface, orientation: Int, over target: Box, clip: Box) {
        let stored = (width: Double(photo.width), height: Double(photo.height))
        let upright = orientation >= 5 ? (width: stored.height, height: stored.width) : stored
        var turn = cairo_matrix_t(orientation: orientation, width: stored.width, height: stored.height)
        cairo_save(context)
        defer { cairo_restore(context) }
        cairo_rectangle(context, clip.x, clip.y, clip.width, clip.height)
        cairo_clip(context)
        cairo_rectangle(context, target.x, target.y, target.width, target.height)
        cairo_clip(context)
        cairo_translate(context, target.x, target.y)
        cairo_scale(context, target.width / upright.width, target.height / upright.height)
        cairo_transform(context, &turn)
        cairo_set_source_surface(context, photo.handle, 0, 0)
        cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        cairo_paint(context)
    }

    /// The picture as a JPEG of the first quality that gives at most so many bytes, or else of the last.
    /// - Throws: ``ShareCardError`` `drawingFailed`, also for an earlier failure, or `encodingFailed`.
    func jpeg(qualities: [Int], maximumBytes: Int) throws(ShareCardError) -> [UInt8] {
        try check()
        var jpeg: [UInt8] = []
        do throws(ImagingError) {
            for quality in qualities {
                jpeg = try surface.withPixels { pixels throws(ImagingError) in
                    try JPEGEncoder.encode(
                        bgrx: UnsafeRawBufferPointer(pixels), width: surface.width, height: surface.height, stride: surface.stride,
                        quality: quality)
                }
                if jpeg.count <= maximumBytes { break }
            }
        } catch {
            throw ShareCardError(.encodingFailed, "\(error)")
        }
        return jpeg
    }

    func set(_ colour: Colour) { cairo_set_source_rgb(context, colour.red, colour.green, colour.blue) }

    private func round(_ box: Box, _ radius: Double) {
        let radius = min(radius, box.width / 2, box.height / 2)
        cairo_new_sub_path(context)
        cairo_arc(context, box.maxX - radius, box.y + radius, radius, -.pi / 2, 0)
        cairo_arc(context, box.maxX - radius, box.maxY - radius, radius, 0, .pi / 2)
        cairo_arc(context, box.x + radius, box.maxY - radius, radius, .pi / 2, .pi)
        cairo_arc(context, box.x + radius, box.y + radius, radius, .pi, .pi * 1.5)
        cairo_close_path(context)
    }

    private func check() throws(ShareCardError) {
        let status = cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw ShareCardError(.drawingFailed, cairo_status_to_string(status).map { String(cString: $0) } ?? "cairo failed")
        }
    }
}

extension cairo_matrix_t {
    /// Turns a stored photo upright by its EXIF orientation (Exif 2.32 §4.6.4, tag 0x0112); not at all for unknown values.
    /// - Parameters: the stored photo's size.
    fileprivate init(orientation: Int, width: Double, height: Double) {
        switch orientation {
        case 2: self.init(xx: -1, yx: 0, xy: 0, yy: 1, x0: width, y0: 0)
        case 3: self.init(xx: -1, yx: 0, xy: 0, yy: -1, x0: width, y0: height)
        case 4: self.init(xx: 1, yx: 0, xy: 0, yy: -1, x0: 0, y0: height)
        case 5: self.init(xx: 0, yx: 1, xy: 1, yy: 0, x0: 0, y0: 0)
        case 6: self.init(xx: 0, yx: 1, xy: -1, yy: 0, x0: height, y0: 0)
        case 7: self.init(xx: 0, yx: -1, xy: -1, yy: 0, x0: height, y0: width)
        case 8: self.init(xx: 0, yx: -1, xy: 1, yy: 0, x0: 0, y0: width)
        default: self.init(xx: 1, yx: 0, xy: 0, yy: 1, x0: 0, y0: 0)
        }
    }
}
