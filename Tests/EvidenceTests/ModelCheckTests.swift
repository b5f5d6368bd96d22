import Models
import Testing

@testable import Evidence

@Suite("Model check")
struct ModelCheckTests {
    static let supported = (12...17).flatMap { ["iPhone \($0) Pro", "iPhone \($0) Pro Max"] }

    @Test("passes every iPhone Pro from 12 to 17, by name", arguments: supported)
    func names(model: String) {
        #expect(ModelCheck.result(exif: model, claimed: model, registered: model) == MetadataCheck(.pass))
        #expect(ModelCheck.result(exif: nil, claimed: model, registered: "iPhone") == MetadataCheck(.pass))
    }

    @Test(
        "takes name and identifier of one model for the same",
        arguments: [
            ("iPhone 12 Pro", "iPhone13,3"), ("iPhone 12 Pro Max", "iPhone13,4"), ("iPhone 13 Pro", "iPhone14,2"),
            ("iPhone 13 Pro Max", "iPhone14,3"), ("iPhone 14 Pro", "iPhone15,2"), ("iPhone 14 Pro Max", "iPhone15,3"),
            ("iPhone 15 Pro", "iPhone16,1"), ("iPhone 15 Pro Max", "iPhone16,2"), ("iPhone 16 Pro", "iPhone17,1"),
            ("iPhone 16 Pro Max", "iPhone17,2"), ("iPhone 17 Pro", "iPhone18,1"), ("iPhone 17 Pro Max", "iPhone18,2"),
        ])
    func identifiers(name: String, identifier: String) {
        for (exif, claimed, registered) in [
            (name, identifier, name), (name, identifier, identifier), (identifier, name, name), (identifier, identifier, name),
        ] {
            #expect(ModelCheck.result(exif: exif, claimed: claimed, registered: registered) == MetadataCheck(.pass))
        }
    }

    @Test(
        "judges every combination",
        arguments: [
            // A known model without LiDAR in either field, regardless of the others.
            ("iPhone 15", "iPhone 15 Pro", "iPhone 15 Pro", .fail, .modelWithoutLiDAR),
            ("iPhone 15 Pro", "iPhone 15", "iPhone 15 Pro", .fail, .modelWithoutLiDAR),
            (nil, "iPhone15,4", "iPhone", .fail, .modelWithoutLiDAR),
            ("iPhone 15", "iPhone 15", "iPhone 15", .fail, .modelWithoutLiDAR),
            ("iPhone X", "iPhone10,3", "iPhone 15 Pro", .fail, .modelWithoutLiDAR),
            ("iPhone 11 Pro", "iPhone", "iPhone", .fail, .modelWithoutLiDAR),
            // A model that differs from the registered one.
            ("iPhone 15 Pro", "iPhone 15 Pro", "iPhone 14 Pro", .fail, .differsFromRegistered),
            ("iPhone 15 Pro", "iPhone 14 Pro", "iPhone 14 Pro", .fail, .differsFromRegistered),
            ("iPhone 14 Pro", "iPhone 15 Pro", "iPhone 14 Pro", .fail, .differsFromRegistered),
            (nil, "iPhone16,2", "iPhone 15 Pro", .fail, .differsFromRegistered),
            ("Canon EOS R5", "iPhone 15 Pro", "iPhone 15 Pro", .fail, .differsFromRegistered),
            (nil, "iPhone19,1", "iPhone 15 Pro", .fail, .differsFromRegistered),
            (nil, "iPhone 15 Pro", "iPhone 18 Pro", .fail, .differsFromRegistered),
            (nil, "iPhone 18 Pro Max", "iPhone 18 Pro", .fail, .differsFromRegistered),
            (nil, "iPhone19,2", "iPhone19,1", .fail, .differsFromRegistered),
            // No contradiction, but not enough to pass.
            ("iPhone", "iPhone", "iPhone 15 Pro", .unavailable, .modelUnknown),
            ("iPhone", "iPhone 15 Pro", "iPhone 15 Pro", .unavailable, .modelUnknown),
            ("iPhone 15 Pro", "iPhone", "iPhone 15 Pro", .unavailable, .modelUnknown),
            (nil, "iPhone", "iPhone", .unavailable, .modelUnknown),
            (nil, "iPhone 18 Pro", "iPhone 18 Pro", .unavailable, .modelUnknown),
            ("iPhone 18 Pro", "iPhone19,1", "iPhone 18 Pro", .unavailable, .modelUnknown),
            ("iphone 15 pro", "iphone 15 pro", "iphone 15 pro", .unavailable, .modelUnknown),
            (nil, "", "iPhone 15 Pro", .unavailable, .modelUnknown),
            // Enough to pass.
            (nil, "iPhone 15 Pro", "iPhone 15 Pro", .pass, nil),
            ("iPhone 15 Pro", "iPhone16,1", "iPhone", .pass, nil),
            ("iPhone 15 Pro", "", "", .pass, nil),
        ] as [(String?, String, String, CheckStatus, ModelReason?)])
    func combinations(exif: String?, claimed: String, registered: String, status: CheckStatus, reason: ModelReason?) {
        #expect(ModelCheck.result(exif: exif, claimed: claimed, registered: registered) == MetadataCheck(status, reason: reason))
    }
}
