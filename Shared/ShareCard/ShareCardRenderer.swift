import Models

/// Draws the preview picture for shared links to a capture (Open Graph): the photo, or the digest of a hash-only capture, on the left; the
/// badge, time and place, and the sentence that evidence is not proof on the right.
///
/// The same content gives the same bytes on machines with the same font and library packages. A call takes tens of milliseconds of
/// CPU and must not run on the cooperative pool. A renderer is used by one thread at a time; several may draw at the same time.
public final class ShareCardRenderer {
    public static let maximumBytes = 300_000
    private static let photoWidth = 720.0
    private static let bandHeight = 80.0
    /// The first that gives a file of at most ``maximumBytes`` is used.
    private static let qualities = [90, 84, 76, 66, 52, 38, 24]

    private let fonts: CardFonts
    /// Kept from card to card, since loading the fonts takes longer than drawing the texts; `nil` until it is needed.
    private var usual: Typesetter?
    /// The last card's pixels, over which the next is drawn; `nil` before the first, and after one that failed.
    private var last: Surface?

    public init(fonts: CardFonts = .debian) { self.fonts = fonts }

    /// With Debian's fonts.
    /// - Throws: ``ShareCardError``.
    public static func render(_ content: ShareCardContent, photo: [UInt8]?) throws(ShareCardError) -> [UInt8] {
        try ShareCardRenderer().render(content, photo: photo)
    }

    /// - Parameter photo: a JPEG, drawn upright by its EXIF orientation; ignored for a hash-only capture.
    /// - Returns: a JPEG of ``ShareCardSize`` without metadata.
    /// - Throws: ``ShareCardError``.
    public func render(_ content: ShareCardContent, photo: [UInt8]?) throws(ShareCardError) -> [UInt8] {
        let typesetter = try typesetter(for: content.placeName ?? "")
        let surface = try takeSurface()
        let canvas = try Canvas(surface)
        let top = content.isDevelopment ? Self.bandHeight : 0
        let height = Double(ShareCardSize.height) - top
        let left = Box(x: 0, y: top, width: Self.photoWidth, height: height)
        switch content.subject {
        case .photo: try PhotoPanel(box: left).draw(photo, on: canvas)
        case .video:
            try PhotoPanel(box: left).draw(photo, on: canvas)
            canvas.playMark(at: left.middle, radius: 64)
        case .hash(let digest):
            try HashPanel(box: left).draw(digest, title: CardText.hashTitle(content), on: canvas, with: typesetter)
        }
        let right = Box(x: Self.photoWidth, y: top, width: Double(ShareCardSize.width) - Self.photoWidth, height: height)
        try FactsPanel(box: right).draw(content, on: canvas, with: typesetter)
        if content.isDevelopment { try drawBand(on: canvas, with: typesetter) }
        let card = try canvas.jpeg(qualities: Self.qualities, maximumBytes: Self.maximumBytes)
        last = surface
        return card
    }

    /// The last card's pixels, all of which are drawn again, or new ones.
    private func takeSurface() throws(ShareCardError) -> Surface {
        if let surface = last.take() { return surface }
        return try Surface(width: ShareCardSize.width, height: ShareCardSize.height)
    }

    /// - Parameter sample: letters of scripts for which further fonts may be needed; those are loaded for one card alone.
    private func typesetter(for sample: String) throws(ShareCardError) -> Typesetter {
        let further = fonts.further(for: sample)
        guard further.isEmpty else { return try Typesetter(fonts, further: further) }
        if let usual { return usual }
        let typesetter = try Typesetter(fonts, further: [])
        usual = typesetter
        return typesetter
    }

    private func drawBand(on canvas: Canvas, with typesetter: Typesetter) throws(ShareCardError) {
        let band = Box(x: 0, y: 0, width: Double(ShareCardSize.width), height: Self.bandHeight)
        canvas.fill(band, .development)
        let side = 40.0
        canvas.stroke(.flask, in: Box(x: 40, y: band.middle.y - side / 2, width: side, height: side), .developmentInk)
        let text = try typesetter.set(
            CardText.band, TextStyle(size: 34, isBold: true, colour: .developmentInk), width: band.width - 40 - side - 16 - 40)
        text.draw(on: canvas, at: Point(40 + side + 16, band.middle.y - text.height / 2))
    }
}
