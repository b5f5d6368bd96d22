/// A colour of sRGB, opaque.
struct Colour: Sendable, Equatable {
    /// 0...1.
    let red: Double
    let green: Double
    let blue: Double

    /// - Parameter rgb: 0xRRGGBB.
    init(_ rgb: UInt32) {
        red = Double(rgb >> 16 & 0xff) / 255
        green = Double(rgb >> 8 & 0xff) / 255
        blue = Double(rgb & 0xff) / 255
    }

    // The site's colours in its light theme; the names are those of its custom properties.
    static let paper = Colour(0xFAF9F6)
    static let sunken = Colour(0xF1EFE9)
    static let ink = Colour(0x191B1D)
    static let ink2 = Colour(0x555A5F)
    static let line = Colour(0xDDDAD1)
    static let link = Colour(0x0A5675)
    static let development = Colour(0x5B2A86)
    static let developmentInk = Colour(0xFFFFFF)
}
