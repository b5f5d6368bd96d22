import CaptureKit
import CaptureProtocol
import Foundation
import JPEGMetadata
import Models

private let processor = FrameProcessor(limit: .seconds(60), timeZone: .gmt)

/// libFuzzer's entry: 41 bytes of what the device says of a frame, the rest is the photo.
///
/// A photo that becomes a capture says what the device said, a place only if there is one, and its metadata are what the server accepts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrame(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 41, let orientation = PhotoOrientation(rawValue: Int(input[40] & 7) + 1) else { return 0 }
    let clock = ClockPairing(uptime: 1000, date: Date(timeIntervalSince1970: 1_790_000_000))
    let frame = CapturedFrame(
        jpeg: Array(input[41...]), depth: try? DepthPlane(bytes: Array(input[..<4]), width: 1, height: 1), uptime: double(input[0..<8]),
        clock: clock, orientation: orientation)
    let place = PreciseLocation(
        latitude: double(input[8..<16]), longitude: double(input[16..<24]), altitude: double(input[24..<32]),
        accuracy: double(input[32..<40]))
    for location in [place, nil] {
        guard let made = try? processor.process(frame, deviceModel: "iPhone 15 Pro", location: location) else { continue }
        guard let fields = EXIFReader.read(jpeg: made.photo) else { preconditionFailure("the capture is no JPEG") }
        precondition(fields.orientation == orientation.rawValue && fields.model == "iPhone 15 Pro", "the photo says something else")
        precondition(fields.hasGPS == (made.location != nil), "a place that nobody allowed, or none")
        precondition(location != nil || made.location == nil, "a place from nowhere")
        guard let metadata = try? made.metadata(photoHash: ContentDigest(of: made.photo)) else { preconditionFailure("no metadata") }
        precondition((try? CaptureMetadata.parse(metadata)) != nil, "metadata that the server refuses")
    }
    return 0
}

private func double(_ bytes: ArraySlice<UInt8>) -> Double {
    Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
}
