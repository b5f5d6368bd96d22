import CaptureProtocol
import Foundation

/// libFuzzer's entry: the input as `hash_chain`, as `metadata` of a video in both layouts, and as `recording`.
///
/// What is read keeps its limits, and a chain is written to bytes that read the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHashChain(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    checkChain(input)
    for isOriginalLayout in [true, false] {
        check { () throws(MetadataError) in
            let metadata = try VideoMetadata.parse(input, isOriginalLayout: isOriginalLayout)
            precondition(isOriginalLayout || (metadata.videoHash != nil && metadata.recordingBytes != nil), "a part is missing")
            precondition((1...100).contains(metadata.deviceModel.count), "a model out of bounds")
            _ = Timestamp.format(metadata.startedAt)
        }
    }
    check { () throws(MetadataError) in
        let recording = try VideoRecording.parse(input)
        precondition((1...100).contains(recording.deviceModel.count), "a model out of bounds")
        _ = try? WireJSON.encode(recording)
    }
    return 0
}

private func checkChain(_ input: [UInt8]) {
    check { () throws(MetadataError) in
        switch try SubmittedHashChain.parse(input) {
        case .original: precondition(SubmittedHashChain.isOriginalLayout(input), "another layout")
        case .chain(let chain):
            precondition(!SubmittedHashChain.isOriginalLayout(input), "another layout")
            precondition(HashChain.frameCounts.contains(chain.frameHashes.count), "frames")
            precondition(HashChain.soundCounts.contains(chain.soundFrames), "packets of sound")
            precondition(chain.checkpoints.count <= HashChain.maximumCheckpoints, "checkpoints")
            let pairs = zip(chain.checkpoints, chain.checkpoints.dropFirst())
            precondition(pairs.allSatisfy { $0.index < $1.index && $0.frames < $1.frames }, "checkpoints out of order")
            guard let written = try? WireJSON.encode(chain) else { preconditionFailure("not written") }
            // Written without what makes the input longer, so it is within the limit.
            guard case .chain(chain)? = try? SubmittedHashChain.parse(written) else { preconditionFailure("read otherwise than written") }
        }
    }
}

private func check(_ body: () throws(MetadataError) -> Void) {
    do throws(MetadataError) {
        try body()
    } catch {
        precondition(!error.problem.isEmpty && error.field.utf8.count <= 1000, "an error without a word")
    }
}
