import CaptureProtocol
import Foundation

@testable import CaptureKit

private let now = Date(timeIntervalSince1970: 1_790_000_000)

/// libFuzzer's entry: the first line as `Retry-After`, the second as `Date`, both as a time.
///
/// A time must be the one that is written there, a wait between nothing and a day.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPDate(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    for line in lines { inspect(line) }
    var headers = ["retry-after": lines[0]]
    if lines.count > 1 { headers["date"] = lines[1] }
    if let wait = HTTPResponse(status: 503, headers: headers, body: []).retryAfter(at: now) {
        precondition(wait >= .zero && wait <= .seconds(86_400), "a wait out of bounds")
    }
    return 0
}

private func inspect(_ text: String) {
    let offset = ClockOffset(dateHeader: text, deviceTime: now)
    guard let date = HTTPDate.parse(text) else {
        precondition(offset == nil, "an offset from no time")
        return
    }
    precondition(offset?.serverTime(at: now) == date, "an offset to another time")
    // A leap second is read as the next one.
    guard !text.hasSuffix(":60 GMT") else { return }
    let fields = text.split(separator: " ")
    let written = Timestamp.format(date)
    precondition(fields.count == 6 && written.hasPrefix("\(fields[3])-"), "another year")
    precondition(written.dropFirst(8).hasPrefix("\(fields[1])T\(fields[4])"), "another day or time")
}
