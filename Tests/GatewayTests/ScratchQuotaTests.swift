import CaptureProtocol
import HTTPTypes
import Testing

@testable import Gateway

@Suite("Quota of the scratch folder")
struct ScratchQuotaTests {
    @Test("is one for all files together, and released with the file")
    func bound() throws {
        let quota = ScratchQuota(bytes: 100)
        let first = quota.share()
        try first.grow(by: 60)
        do {
            let second = quota.share()
            try second.grow(by: 40)
            let refused = refusal { try first.grow(by: 1) }
            #expect(refused?.code == .serviceUnavailable && refused?.headers[.retryAfter] != nil)
            withExtendedLifetime(second) {}
        }
        try first.grow(by: 40)
    }

    @Test("zero is no limit")
    func unlimited() throws { try ScratchQuota(bytes: 0).share().grow(by: .max) }
}
