import Foundation

extension UUID {
    /// Sorts before all others.
    static let least = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
