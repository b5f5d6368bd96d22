import Foundation

/// Reads a whole file of trust anchors.
enum AnchorText {
    /// The C2PA library's limit.
    static let maximumBytes = 1024 * 1024

    struct TooLong: Error {}
    struct Unreadable: Error { let reason: String }

    /// Reads the descriptor to its end and closes it.
    /// - Returns: `nil` if the descriptor is not open, because no anchors were passed.
    static func read(descriptor: Int32) throws -> String? {
        guard fcntl(descriptor, F_GETFD) >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Unreadable(reason: String(cString: strerror(errno))) }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += chunk.prefix(count)
            guard text.count <= maximumBytes else { throw TooLong() }
        }
    }
}
