import Imaging
import JPEGMetadata

/// The left part of a card with the photo: a centred crop, on a plain ground where the photo does not fill the panel.
struct PhotoPanel {
    static let maximumEnlargement = 2.0
    /// The photo is drawn with its longer side at most this long: twice the panel.
    private static let maximumSide = 1440

    let box: Box

    /// - Parameter jpeg: drawn upright by its EXIF orientation; `nil` draws a camera.
    /// - Throws: ``ShareCardError`` `photoUnreadable` or `drawingFailed`.
    func draw(_ jpeg: [UInt8]?, on canvas: Canvas) throws(ShareCardError) {
        canvas.fill(box, .sunken)
        guard let jpeg else {
            let side = 160.0
            let place = Box(x: box.middle.x - side / 2, y: box.middle.y - side / 2, width: side, height: side)
            return canvas.stroke(.camera, in: place, width: 1.2, .ink2)
        }
        let orientation = EXIFReader.orientation(of: jpeg) ?? 1
        let stored = try readable { () throws(ImagingError) in try JPEGDecoder.size(of: jpeg) }
        let placed = placement(of: EXIFReader.upright(stored, orientation: orientation))
        let side = min(Int(max(placed.width, placed.height).rounded(.up)), Self.maximumSide)
        // libjpeg-turbo's sizes are eighths: those of photos of up to 1920 px are less than 4/3 of what is drawn, which cairo scales well
        // and fast. Larger ones it averages.
        let decoded = try readable { () throws(ImagingError) in try JPEGDecoder.size(of: jpeg, covering: side) }
        let photo = try Surface(width: decoded.width, height: decoded.height)
        try readable { () throws(ImagingError) in
            try photo.withPixels { pixels throws(ImagingError) in
                try JPEGDecoder.decode(jpeg, covering: side, bgrx: pixels, stride: photo.stride)
            }
        }
        canvas.draw(photo, orientation: orientation, over: placed, clip: box)
    }

    /// - Throws: ``ShareCardError`` `photoUnreadable` for any error.
    private func readable<Value>(_ read: () throws(ImagingError) -> Value) throws(ShareCardError) -> Value {
        do throws(ImagingError) {
            return try read()
        } catch {
            throw ShareCardError(.photoUnreadable, "\(error)")
        }
    }

    /// Covers the panel, unless that would hide more than half of the photo or enlarge it more than twice.
    func placement(of size: (width: Int, height: Int)) -> Box {
        let (width, height) = (Double(max(size.width, 1)), Double(max(size.height, 1)))
        let whole = min(box.width / width, box.height / height)
        let covering = max(box.width / width, box.height / height)
        let scale = min(covering, 2 * whole, Self.maximumEnlargement)
        return Box(
            x: box.middle.x - width * scale / 2, y: box.middle.y - height * scale / 2, width: width * scale, height: height * scale)
    }
}
