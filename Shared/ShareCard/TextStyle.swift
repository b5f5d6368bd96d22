/// The typographic style of a text.
struct TextStyle: Sendable, Equatable {
    var family = CardFonts.sans
    /// Pixels of the em.
    var size: Double
    var isBold = false
    /// Added between letters, in ems.
    var spacing = 0.0
    /// Line height, as a factor of the font's own.
    var lineHeight = 1.0
    var colour = Colour.ink

    static let fact = TextStyle(size: 30)
    static let label = TextStyle(size: 22, colour: .ink2)
}
