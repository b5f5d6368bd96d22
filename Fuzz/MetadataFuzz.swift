import CaptureProtocol
import Foundation

/// libFuzzer's entry: the input as an upload's metadata.
///
/// Fields must be within their bounds, and Foundation must also read the input as a JSON object.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMetadata(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(MetadataError) {
        let metadata = try CaptureMetadata.parse(input)
        precondition((1...1024).contains(metadata.depthWidth) && (1...1024).contains(metadata.depthHeight), "size out of bounds")
        precondition((1...100).contains(metadata.deviceModel.count), "model out of bounds")
        precondition(!metadata.deviceModel.unicodeScalars.contains { $0.value < 0x20 }, "a control character")
        let numbers = [metadata.location?.latitude, metadata.location?.longitude, metadata.location?.altitude, metadata.location?.accuracy]
        precondition(numbers.compactMap { $0 }.allSatisfy(\.isFinite), "a number is not finite")
        precondition(metadata.capturedAt.timeIntervalSince1970.isFinite, "no time")
    } catch {
        precondition(!error.problem.isEmpty && error.field.utf8.count <= 1000, "an error without a word")
    }
    return 0
}
