import CaptureProtocol
import Foundation

@testable import TransparencyLog

/// libFuzzer's entry: the input as canonical JSON, as a statement, as what `raw` commits to, and as a leaf.
///
/// What is read is written to the same bytes, made again of its values too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStatement(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let json = try? CanonicalJSON(input) {
        precondition(json.encoded == input, "JSON with two forms")
        precondition((try? StrictJSON(input)) != nil, "JSON that is none to others")
    }
    check { () throws(BundleError) in
        let statement = try Statement(bytes: input)
        precondition(statement.bytes == input, "other bytes")
        let again = try? Statement(
            statement.content, capture: statement.capture, subject: statement.subject, sequence: statement.sequence, time: statement.time,
            previous: statement.previous)
        precondition(again == statement, "a statement with two forms")
        if let salt = Salt(bytes: [UInt8](repeating: 1, count: 32)) {
            let leaf = statement.leaf(salt: salt)
            precondition((try? LogLeaf(bytes: leaf.bytes)) == leaf, "a leaf that is none")
        }
    }
    check { () throws(BundleError) in
        let parts = try RawParts(json: input)
        precondition(parts.json == input, "parts with two forms")
    }
    check { () throws(BundleError) in
        let leaf = try LogLeaf(bytes: input)
        precondition(leaf.bytes == input, "a leaf with two forms")
    }
    return 0
}

private func check(_ body: () throws(BundleError) -> Void) {
    do throws(BundleError) {
        try body()
    } catch {
        precondition(!error.message.isEmpty, "an error without a word")
    }
}
