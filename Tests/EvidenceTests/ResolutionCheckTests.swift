import Models
import Testing

@testable import Evidence

@Suite("Resolution check")
struct ResolutionCheckTests {
    @Test(
        "knows sizes by model, in either orientation",
        arguments: [
            ("iPhone 12 Pro", 4032, 3024, true), ("iPhone 12 Pro", 3024, 4032, true), ("iPhone 12 Pro", 4032, 2268, true),
            ("iPhone 12 Pro", 3024, 3024, true), ("iPhone 13 Pro Max", 8064, 6048, false), ("iPhone 14 Pro", 8064, 6048, true),
            ("iPhone 14 Pro", 5712, 4284, false), ("iPhone16,1", 4284, 5712, true), ("iPhone 15 Pro Max", 8064, 6048, true),
            ("iPhone 17 Pro", 5712, 3213, true), ("iPhone 17 Pro", 640, 480, false), ("iPhone 17 Pro", 4032, 3023, false),
            ("iPhone 17 Pro", 0, 0, false),
        ])
    func sizes(model: String, width: Int, height: Int, isKnown: Bool) {
        var fields = EXIFFields()
        fields.pixelWidth = width
        fields.pixelHeight = height
        let expected: MetadataCheck<ResolutionReason> =
            isKnown ? MetadataCheck(.pass) : MetadataCheck(.unavailable, reason: .sizeNotInTable)
        #expect(ResolutionCheck.result(fields, claimed: model) == expected)
        fields.model = model
        #expect(ResolutionCheck.result(fields, claimed: "iPhone") == expected)
    }

    @Test("cannot tell a resolution without size or model")
    func noResolution() {
        #expect(ResolutionCheck.result(nil, claimed: "iPhone 15 Pro") == MetadataCheck(.unavailable, reason: .sizeUnknown))
        #expect(ResolutionCheck.result(EXIFFields(), claimed: "iPhone 15 Pro") == MetadataCheck(.unavailable, reason: .sizeUnknown))
        var fields = EXIFFields()
        (fields.pixelWidth, fields.pixelHeight) = (4032, 3024)
        #expect(ResolutionCheck.result(fields, claimed: "iPhone") == MetadataCheck(.unavailable, reason: .modelUnknown))
        #expect(ResolutionCheck.result(fields, claimed: "iPhone 15") == MetadataCheck(.unavailable, reason: .sizeNotInTable))
    }
}
