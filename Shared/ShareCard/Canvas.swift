import CPango
import Imaging

/// A picture drawn with cairo. Owns the surface and its context; used by one thread.
final class Canvas {
    let width: Int
    let height: Int
    private let surface: OpaquePointer
    /// Only for drawing text.
    let context: OpaquePointer

    /// A black picture.
    /// - Throws: ``ShareCardError`` `drawingFailed`.
    init(width: Int, height: Int) throws(ShareCardError) {
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height)),
            let context = cairo_create(surface)
        else { throw ShareCardError(.drawingFailed, "no surface of \(width)×\(height)") }
        self.width = width
        self.height = height
        self.surface = surface
        self.context = context
        // All properties are set, so deinit releases both if this throws.
        try check()
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

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

    /// Draws a picture over `target`, which may reach beyond `clip`.
    /// - Throws: ``ShareCardError`` `drawingFailed`.
    func draw(_ image: RGBImage, over target: Box, clip: Box) throws(ShareCardError) {
        guard let picture = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(image.width), Int32(image.height)) else {
            throw ShareCardError(.drawingFailed, "no surface for the photo")
        }
        defer { cairo_surface_destroy(picture) }
        let stride = Int(cairo_image_surface_get_stride(picture))
        guard cairo_surface_status(picture) == CAIRO_STATUS_SUCCESS, let bytes = cairo_image_surface_get_data(picture) else {
            throw ShareCardError(.drawingFailed, "no memory for the photo")
        }
        image.pixels.withUnsafeBufferPointer { source in
            for y in 0..<image.height {
                let row = UnsafeMutableRawPointer(bytes + y * stride).assumingMemoryBound(to: UInt32.self)
                for x in 0..<image.width {
                    let offset = (y * image.width + x) * 3
                    row[x] = UInt32(source[offset]) << 16 | UInt32(source[offset + 1]) << 8 | UInt32(source[offset + 2])
                }
            }
        }
        cairo_surface_mark_dirty(picture)
        cairo_save(context)
        defer { cairo_restore(context) }
        cairo_rectangle(context, clip.x, clip.y, clip.width, clip.height)
        cairo_clip(context)
        cairo_rectangle(context, target.x, target.y, target.width, target.height)
        cairo_clip(context)
        cairo_translate(context, target.x, target.y)
        cairo_scale(context, target.width / Double(image.width), target.height / Double(image.height))
        cairo_set_source_surface(context, picture, 0, 0)
        cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        cairo_paint(context)
    }

    /// The picture as a JPEG of the first quality that gives at most so many bytes, or else of the last.
    /// - Throws: ``ShareCardError`` `drawingFailed`, also for an earlier failure, or `encodingFailed`.
    func jpeg(qualities: [Int], maximumBytes: Int) throws(ShareCardError) -> [UInt8] {
        try check()
        cairo_surface_flush(surface)
        let stride = Int(cairo_image_surface_get_stride(surface))
        guard let bytes = cairo_image_surface_get_data(surface) else { throw ShareCardError(.drawingFailed, "no pixels") }
        // CAIRO_FORMAT_RGB24 is a 32-bit number, 0x00RRGGBB: blue is first, as all supported machines are little-endian.
        let pixels = UnsafeRawBufferPointer(start: bytes, count: stride * height)
        var jpeg: [UInt8] = []
        do {
            for quality in qualities {
                jpeg = try JPEGEncoder.encode(bgrx: pixels, width: width, height: height, stride: stride, quality: quality)
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
