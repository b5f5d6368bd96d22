import TestSupport
import Testing

@testable import Movie

/// A change of a sound file, and the rule that it breaks.
struct Lie: Sendable, CustomTestStringConvertible {
    let name: String
    let problem: MovieError.Problem
    let change: @Sendable (TestBox) -> Void

    init(_ name: String, _ problem: MovieError.Problem, _ change: @escaping @Sendable (TestBox) -> Void) {
        (self.name, self.problem, self.change) = (name, problem, change)
    }

    var testDescription: String { name }

    var bytes: [UInt8] {
        let file = SmallFilm.file()
        change(file)
        return file.fileBytes
    }
}
