import CaptureProtocol
import Foundation

/// The names of sealed files: `<UUID of the capture>.<kind>`, with `.new-<UUID>` behind it until the file is complete. All in lower case.
enum SealedFileName {
    static func final(_ item: SealedItem) -> String { "\(item.capture).\(item.kind.rawValue)" }

    static func temporary(_ item: SealedItem) -> String { final(item) + temporaryMark + LocalID().description }

    /// The item of a complete file's name; `nil` for any other name.
    static func item(of name: some StringProtocol) -> SealedItem? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let capture = LocalID(String(parts[0])), let kind = SealedKind(rawValue: String(parts[1])) else {
            return nil
        }
        let item = SealedItem(capture, kind)
        return final(item) == name ? item : nil
    }

    static func isTemporary(_ name: String) -> Bool {
        guard let mark = name.range(of: temporaryMark) else { return false }
        return item(of: name[..<mark.lowerBound]) != nil
    }

    private static let temporaryMark = ".new-"
}
