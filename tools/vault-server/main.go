// A Vault server for tests: the real core, HTTP API and KV engine, in memory, unsealed, with a root token of its own.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	log "github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// One engine is built in, and nothing else.
type builtins struct{}

func (builtins) Contains(name string, kind consts.PluginType) bool {
	return name == "kv" && kind == consts.PluginTypeSecrets
}

func (b builtins) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	factory := func() (interface{}, error) { return kv.Factory, nil }
	return factory, b.Contains(name, kind)
}

func (builtins) Keys(kind consts.PluginType) []string {
	if kind == consts.PluginTypeSecrets {
		return []string{"kv"}
	}
	return nil
}

func (b builtins) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, b.Contains(name, kind)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	logger := log.New(&log.LoggerOptions{Level: log.Warn})
	storage, err := inmem.NewInmem(nil, logger)
	must(err)
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:        storage,
		DisableMlock:    true,
		Logger:          logger,
		LogicalBackends: map[string]logical.Factory{"kv": kv.Factory},
		BuiltinRegistry: builtins{},
	})
	must(err)
	shares := &vault.SealConfig{SecretShares: 1, SecretThreshold: 1}
	made, err := core.Initialize(context.Background(), &vault.InitParams{BarrierConfig: shares, RecoveryConfig: shares})
	must(err)
	for _, share := range made.SecretShares {
		_, err = core.Unseal(share)
		must(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	fmt.Printf("%s %s\n", listener.Addr(), made.RootToken)
	handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{}})
	must(http.Serve(listener, handler))
}
