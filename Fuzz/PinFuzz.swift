import CaptureKit
import CaptureProtocol
import Foundation

/// libFuzzer's entry: lines as pins, the bytes as a P-256 key, the text as a server's address.
///
/// A set of pins contains what its texts say and nothing else. An address that may be used is one of a server and nothing more, and plain
/// text goes to this machine only.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPin(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: input, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var pins = PinSet.none
    do throws(PinError) {
        pins = try PinSet(texts: lines)
        let digests = lines.compactMap { ContentDigest(text: $0) }
        precondition(digests.count == lines.count && digests.allSatisfy(pins.contains(spkiSHA256:)), "a pin is missing")
    } catch {
        precondition(ContentDigest(text: error.text) == nil && lines.contains(error.text), "a pin is refused")
    }
    precondition(!pins.contains(spkiSHA256: ContentDigest(of: input)) && !pins.contains(p256Point: input), "a key that nobody pinned")
    if let url = URL(string: text) { inspect(url) }
    return 0
}

private func inspect(_ url: URL) {
    let pins = PinSet([ContentDigest(of: [1])])
    for trust in [ServerTrust(pins: pins), ServerTrust(pins: .none), ServerTrust(pins: .none, isDevelopment: true)] {
        guard let origin = try? trust.origin(of: url) else { continue }
        precondition(origin.hasPrefix("http://") || origin.hasPrefix("https://"), "another scheme")
        precondition(!origin.hasSuffix("/"), "a path")
        guard let parsed = URL(string: origin + "/api/v1/captures") else { preconditionFailure("no address") }
        precondition(parsed.host == url.host && parsed.port == url.port, "another server")
        precondition(parsed.path == "/api/v1/captures" && parsed.query == nil && parsed.user == nil, "another address")
        precondition(trust.isDevelopment || origin.hasPrefix("https://") || isHere(url), "plain text leaves this machine")
        precondition(trust.isDevelopment || !trust.pins.isEmpty || origin.hasPrefix("http://"), "https without a pin")
    }
}

private func isHere(_ url: URL) -> Bool {
    let host = (url.host ?? "").lowercased()
    return host == "localhost" || host.hasPrefix("127.") || host.contains("::1")
}
