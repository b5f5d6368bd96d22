import Attestation
import Dispatch
import Foundation

private let appraiser = ReceiptAppraiser()
private let subject = ReceiptSubject(
    appID: "ABCDE12345.app.rial.ios", publicKeyX963: [UInt8](repeating: 4, count: 65), environment: .development)
private let time = Date(timeIntervalSince1970: 1_780_000_000)

/// libFuzzer's entry: any bytes as a receipt; none may be verified for a key that Apple never saw.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReceipt(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        if case .verified = await appraiser.appraise(input, of: subject, at: time, maximumAge: nil) {
            preconditionFailure("verified what nobody signed")
        }
        done.signal()
    }
    done.wait()
    return 0
}
