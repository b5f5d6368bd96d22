/// Digits, point and "m" in a grid of 5 × 7, drawn for the scale bar.
enum DigitFont {
    static let height = 7

    /// Rows from the top, the leftmost column in the highest of `width` bits.
    private static let glyphs: [Character: (width: Int, rows: [UInt8])] = [
        "0": (5, [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110]),
        "1": (5, [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
        "2": (5, [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]),
        "3": (5, [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110]),
        "4": (5, [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010]),
        "5": (5, [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110]),
        "6": (5, [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110]),
        "7": (5, [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000]),
        "8": (5, [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110]),
        "9": (5, [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100]),
        "m": (5, [0b00000, 0b00000, 0b11010, 0b10101, 0b10101, 0b10101, 0b10101]),
        ".": (1, [0, 0, 0, 0, 0, 0, 1]),
        " ": (2, [0, 0, 0, 0, 0, 0, 0]),
    ]

    /// Columns that a text takes at scale 1, one between characters.
    static func width(of text: String) -> Int {
        text.reduce(0) { $0 + (glyphs[$1]?.width ?? 0) + 1 } - (text.isEmpty ? 0 : 1)
    }

    /// Draws a text with its upper left corner at (x, y); characters without a glyph leave a gap.
    static func draw(_ text: String, into picture: inout DepthPicture, x: Int, y: Int, scale: Int, with index: UInt8) {
        var left = x
        for character in text {
            guard let glyph = glyphs[character] else {
                left += scale
                continue
            }
            for (row, bits) in glyph.rows.enumerated() {
                for column in 0..<glyph.width where bits >> UInt8(glyph.width - 1 - column) & 1 == 1 {
                    picture.fill(x: left + column * scale, y: y + row * scale, width: scale, height: scale, with: index)
                }
            }
            left += (glyph.width + 1) * scale
        }
    }
}
