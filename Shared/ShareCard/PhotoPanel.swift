import Imaging
import JPEGMetadata

/// The left part of a card with the photo: a centred crop, on a plain ground where the photo does not fill the panel.
struct PhotoPanel {
    static let maximumEnlargement = 2.0
    /// The photo is decoded with its longer side at most this long: twice the panel, and no more than that is drawn.
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
        let image: RGBImage
        let placed: Box
        do {
            placed = placement(of: EXIFReader.upright(try JPEGDecoder.size(of: jpeg), orientation: orientation))
            let side = min(Int(max(placed.width, placed.height).rounded(.up)), Self.maximumSide)
            image = try JPEGDecoder.decodeRGB(jpeg, fitting: side).oriented(orientation)
        } catch {
            throw ShareCardError(.photoUnreadable, "\(error)")
        }
        try canvas.draw(image, over: placed, clip: box)
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
