import Attestation
import Foundation

private let appraiser = AttestationAppraiser(roots: .apple, appIDs: ["ABCDE12345.app.rial.ios"], environment: .development)
private let time = Date(timeIntervalSince1970: 1_780_000_000)

/// libFuzzer's entry: any bytes as an attestation object; none may be verified, since no input holds Apple's signature over our challenge.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAttestationObject(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let verdict = appraiser.appraise(
        input, keyID: [UInt8](repeating: 1, count: 32), clientDataHash: [UInt8](repeating: 2, count: 32), at: time)
    if case .verified = verdict { preconditionFailure("verified what nobody signed") }
    return 0
}
