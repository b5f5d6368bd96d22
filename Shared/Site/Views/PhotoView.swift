import Models

/// The picture of a capture, in the available sizes.
struct PhotoView: Sendable {
    let media: [MediaName: PublishedMedia]

    /// The default picture, if only one can be shown.
    var picture: (media: PublishedMedia, size: PixelSize)? {
        (MediaName.pagePictures + MediaName.publicCopies + [.poster]).lazy.compactMap { name in
            media[name].flatMap { found in found.size.map { (found, $0) } }
        }.first
    }

    var isWide: Bool { picture.map { $0.size.width > $0.size.height } ?? false }

    /// The size of the original, taken from a public copy.
    var originalSize: PixelSize? { MediaName.publicCopies.lazy.compactMap { media[$0]?.size }.first }

    func context(_ strings: StringTable) -> ViewContext? {
        guard let (picture, size) = picture else { return nil }
        var view: ViewContext = ["src": picture.link, "width": size.width, "height": size.height, "alt": strings("alt.photo")]
        let choice = MediaName.pagePictures.compactMap { name in
            media[name].flatMap { found in found.size.map { "\(found.link) \($0.width)w" } }
        }
        if !choice.isEmpty {
            view["srcset"] = choice.joined(separator: ", ")
            view["sizes"] =
                isWide ? "(min-width:58rem) 36rem, (min-width:44rem) 55vw, 100vw" : "(min-width:58rem) 27rem, (min-width:44rem) 45vw, 100vw"
        }
        return view
    }
}
