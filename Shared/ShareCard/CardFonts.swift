import Foundation

/// The card's font files, from Debian's `fonts-noto-core` and `fonts-dejavu-core`.
///
/// They are listed individually, so that the card does not depend on other installed fonts.
public struct CardFonts: Sendable, Equatable {
    /// Has the folders `noto` and `dejavu`.
    public static let debian = CardFonts(directory: "/usr/share/fonts/truetype")
    static let sans = "Noto Sans"
    static let serif = "Noto Serif"
    static let mono = "DejaVu Sans Mono"

    private static let needed = [
        "noto/NotoSans-Regular.ttf", "noto/NotoSans-Bold.ttf", "noto/NotoSerif-Regular.ttf", "noto/NotoSerif-Bold.ttf",
        "dejavu/DejaVuSansMono.ttf",
    ]
    /// For place names in other scripts than Latin, Greek and Cyrillic; a name that no installed font can show is left out.
    private static let scripts = [
        "Arabic", "Armenian", "Bengali", "Devanagari", "Ethiopic", "Georgian", "Gujarati", "Gurmukhi", "Hebrew", "Kannada", "Khmer",
        "Lao", "Malayalam", "Myanmar", "Sinhala", "Tamil", "Telugu", "Thai", "Tibetan",
    ]

    public let directory: String

    public init(directory: String) { self.directory = directory }

    var neededFiles: [String] { Self.needed.map { "\(directory)/\($0)" } }

    /// Fonts for letters that the needed fonts may lack; none for most texts.
    func further(for text: String) -> [(file: String, family: String)] {
        guard text.unicodeScalars.contains(where: { $0.value >= 0x530 && !(0x1E00...0x20CF).contains($0.value) }) else { return [] }
        return Self.scripts.map { ("\(directory)/noto/NotoSans\($0)-Regular.ttf", "Noto Sans \($0)") }
            .filter { FileManager.default.fileExists(atPath: $0.0) }
    }
}
