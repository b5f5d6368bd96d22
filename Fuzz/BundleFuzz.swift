import CaptureProtocol
import Foundation

@testable import TransparencyLog

/// libFuzzer's entry: the input as an archive, as a bundle, as the content of a bundle's entries, and as a time-stamp answer.
///
/// What is read is written to the same bytes, and whatever is read can be verified without a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBundle(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let archive = try? StoredArchive(input) { precondition(archive.bytes == input, "an archive with two forms") }
    inspect(input)
    // Behind checksums that are right the input gets further: lines with only a dash part the entries' contents.
    let contents = input.split(separator: Array("\n-\n".utf8), maxSplits: 5, omittingEmptySubsequences: false)
    let names = ["mimetype", "0/statement.json", "0/evidence.json", "0/proof.tlog-proof", "0/checkpoint.tsr", "owner/raw.json"]
    let entries = zip(names, [Array(BundleEntry.type.content)[...]] + contents).map { name, content in
        StoredArchive.Entry(name: Array(name.utf8), content: content)
    }
    if let archive = try? StoredArchive(entries) {
        precondition((try? StoredArchive(archive.bytes))?.entries == entries, "entries were lost")
        inspect(archive.bytes)
    }
    if let answer = try? TimestampAnswer(input) { precondition(!answer.info.time.timeIntervalSince1970.isNaN, "no time") }
    return 0
}

private func inspect(_ bytes: [UInt8]) {
    do throws(BundleError) {
        let bundle = try EvidenceBundle(bytes)
        precondition((try? bundle.bytes()) == bytes, "a bundle with two forms")
        for (index, logged) in bundle.statements.enumerated() {
            precondition(logged.statement.bytes.count <= Statement.maximumBytes, "a large statement")
            precondition((logged.evidence == nil) == (logged.statement.verdict == nil), "statement \(index) without its evidence")
            if let proven = try? ProvenStatement(logged) {
                precondition(proven.proof.bytes == logged.proof, "a proof with two forms")
                _ = proven.statement.leaf(salt: proven.salt).hash
            }
            if let evidence = logged.evidence { _ = CheckedEvidence(evidence) }
            if let timestamp = logged.timestamp { _ = try? TimestampAnswer(timestamp) }
        }
        if let raw = bundle.owner?.raw { precondition((try? RawParts(json: raw.json)) == raw, "parts with two forms") }
    } catch {
        precondition(!error.message.isEmpty, "an error without a word")
    }
}
