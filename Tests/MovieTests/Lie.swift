import TestSupport
import Testing

@testable import Movie

/// A change of a sound file, and the rule that it breaks.
struct Lie: Sendable, CustomTestStringConvertible {
    let name: String
    let code: MovieError.Code
    let change: @Sendable (TestBox) -> Void

    init(_ name: String, _ code: MovieError.Code, _ change: @escaping @Sendable (TestBox) -> Void) {
        (self.name, self.code, self.change) = (name, code, change)
    }

    var testDescription: String { name }

    var bytes: [UInt8] {
        let file = SmallFilm.file()
        change(file)
        return file.fileBytes
    }
}
